package match

// Rules counts the versions of the rules by which subjects are read: the dictionary, what is made of words, the terms
// that they are found by. Where it goes up, everything that is sought is read again. A test fails where the dictionary
// or the weights change and this does not.
const Rules = 2
