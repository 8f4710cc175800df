package stalevalue

import (
	"fmt"
	"go/token"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/summary"
)

// A reread is an access of a variable, and a later read of the variable that relies on what the
// access has stored or found there. Its fields are never changed.
type reread struct {
	d           *detector
	first, read *summary.Event
	info        *summary.LocInfo
}

func (r *reread) Positions() []token.Pos {
	return []token.Pos{r.d.pos(r.read), r.d.pos(r.first), r.d.f.Fn.Pos()}
}

// describe says what is done at the two places, for -why.
func (r *reread) describe(kind, first, read string) string {
	return fmt.Sprintf("%s: %s %s at line %d, %s at line %d, in %s", kind,
		r.d.f.NameOf(r.first), first, r.d.line(r.d.pos(r.first)), read, r.d.line(r.d.pos(r.read)), summary.Name(r.d.f.Fn))
}

// rivalUnder returns the first concurrent writer of the variable that meets a condition and can
// run although some locks are held, or nil.
func (r *reread) rivalUnder(held []accesspath.Location, accepts func(*summary.Writer) bool) *summary.Writer {
	for i := range r.info.Writers {
		w := &r.info.Writers[i]
		if accepts(w) && (rival{d: r.d, writer: w, base: r.first.Base, held: held}).runs() {
			return w
		}
	}
	return nil
}

func anyWriter(*summary.Writer) bool { return true }
