package match

// RulesVersion is the version of the matching rules: the dictionary, the analysis of words, and the index terms. When
// it increases, all open items are indexed again, and the search texts of all items are written again. A test fails if
// the dictionary, the weights or other numbers of the rules change but the version does not.
const RulesVersion = 8
