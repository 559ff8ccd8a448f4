"""The claims of a paper: judged, shown on its page, and counted over all papers."""
