// Package match computes how well a found item matches a request, and why. It understands descriptions in five
// languages and weighs the evidence for and against; people decide. It does not use a database: the caller selects the
// candidates, by the terms that a subject is indexed under.
package match
