package match_test

import (
	"testing"

	"homeward/internal/lost/match"
)

func BenchmarkReadFind(b *testing.B) {
	set := own(b)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		match.Read(set.Finds[n%len(set.Finds)].Subject())
	}
}

func BenchmarkCompare(b *testing.B) {
	set := own(b)
	request := match.Read(set.Requests[0].Subject())
	var finds []match.Profile
	for _, f := range set.Finds {
		finds = append(finds, match.Read(f.Subject()))
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		match.Compare(request, finds[n%len(finds)], counts)
	}
}
