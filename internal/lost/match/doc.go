// Package match computes how well a found item matches a request, and why. It understands descriptions in five
// languages and weighs the evidence for and against a match. The final decision is made by people. The package does
// not use a database: the caller selects the candidates by their index terms.
package match
