package frame

import ()

type CheckBox struct {
	Value, Name, Hint string
	Checked           bool
}
