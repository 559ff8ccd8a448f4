"""Learners of Weka: REPTree, OneR and the decision stump."""
