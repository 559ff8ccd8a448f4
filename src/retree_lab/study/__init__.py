"""Reading the folder that defines a paper or a study of one's own."""
