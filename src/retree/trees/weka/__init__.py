"""Learners of Weka: REPTree, RandomTree, OneR and DecisionStump."""
