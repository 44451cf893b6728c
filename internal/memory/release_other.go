//go:build !linux

package memory

// releaseProgram does nothing: only Linux lists the mappings of a process.
func releaseProgram() {}
