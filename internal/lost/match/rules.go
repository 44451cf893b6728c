package match

// Rules is the version of the rules by which subjects are read: the dictionary, the analysis of words, and the index
// terms. When it increases, all open items are indexed again. A test fails if the dictionary or the weights change and
// this does not.
const Rules = 2
