package guards

import "github.com/atomvet/atomvet/passes/internal/fact"

// unset is the Latch of a location of which no write has been seen.
const unset = "?"

// latch merges the constant of one write into Latch: "" for a value that is not a
// constant.
func latch(i *fact.LocInfo, text string) {
	if i.Latch == unset {
		i.Latch = text
	} else if i.Latch != text {
		i.Latch = ""
	}
}
