"""The claims of a paper: judged, told on its page, and counted over all papers."""
