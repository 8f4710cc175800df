package finding

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/interleave"
	"github.com/atomvet/atomvet/passes/internal/limit"
)

// RunPrefix begins the messages of the related positions that are the steps of a run, in the
// order of time. Drivers can tell them by it:
//
//	run: goroutine 1 reads s.n = s.n
//	run: goroutine 2 writes s.n = s.n+1
//	run: outcome: s.n is s.n+1
//	run: serial outcome: s.n is s.n+2
const RunPrefix = "run: "

// RunNotes returns a harmful run as notes: what happens to shared memory, and what comes of it.
// at is the position for the outcomes.
func RunNotes(a interleave.Answer, at token.Pos) []Note {
	var notes []Note
	for i, s := range a.Run {
		if i > 0 && s == a.Run[i-1] || !isNews(s) {
			continue
		}
		if len(notes) == limit.ShownSteps {
			break
		}
		notes = append(notes, Note{Pos: s.Pos, Message: RunPrefix + describe(s)})
	}
	notes = append(notes, Note{Pos: at, Message: RunPrefix + "outcome: " + a.Outcome})
	for _, text := range a.Serial {
		notes = append(notes, Note{Pos: at, Message: RunPrefix + "serial outcome: " + text})
	}
	return notes
}

// isNews reports whether a step says something: not that a reference of the start state is what
// it is called.
func isNews(s interleave.Step) bool {
	switch s.Action {
	case interleave.Switched:
		return false
	case interleave.Reads:
		return strings.TrimLeft(s.Value, "&*") != s.Place || !strings.HasPrefix(s.Value, "&")
	}
	return true
}

func describe(s interleave.Step) string {
	switch s.Action {
	case interleave.Released:
		return fmt.Sprintf("goroutine %d releases %s", s.Unit, s.Place)
	case interleave.Writes:
		return fmt.Sprintf("goroutine %d writes %s = %s", s.Unit, s.Place, s.Value)
	}
	return fmt.Sprintf("goroutine %d reads %s = %s", s.Unit, s.Place, s.Value)
}
