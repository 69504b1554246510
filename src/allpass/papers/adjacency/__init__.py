"""Does a learned graph help, or only what it is learned from? Learners next to their controls."""
