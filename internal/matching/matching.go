// Package matching finds what a request for something lost and a found item have in common, keeps the suggestions, and
// shows them to staff. The rules by which two descriptions are compared are in lost/match.
package matching
