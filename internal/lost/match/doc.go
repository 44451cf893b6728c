// Package match tells how well a thing that was found answers a request of somebody who misses one, and why. It
// understands the words of both in five languages, weighs what speaks for and against, and decides nothing. It knows no
// database: who may be meant at all is asked for elsewhere, by the terms that a subject is indexed under.
package match
