package app

import "runtime/debug"

// stamped is the version of a release. The linker sets it, with -ldflags '-X homeward/internal/app.stamped=…'.
var stamped string //nolint:gochecknoglobals // the linker can only set package variables

// Version returns the version of the program.
func Version() string {
	if stamped != "" {
		return stamped
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "development"
}

// Commit returns the commit that the program was built from, or "" if the build did not record it.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
