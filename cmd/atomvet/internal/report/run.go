package report

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Run returns a run that shows what goes wrong, nil if none is known: the one that the detector
// has executed, or else the one that the anchors describe. The latter has no values: it is the
// check, the release, one access of a rival, and the act.
func (f *Finding) Run() *Interleaving {
	if f.Interleaving != nil && len(f.Interleaving.Steps) > 0 {
		return f.Interleaving
	}
	if f.Anchors == nil || len(f.Anchors.Rivals) == 0 {
		return nil
	}
	a := f.Anchors
	rival := f.mainRival()
	o := outline{f: f, run: &Interleaving{Goroutines: []string{"goroutine 1: " + a.Unit, "goroutine 2: " + rival.Func}}}
	check, between, act := a.states()
	o.access(a.Check, a.Object, check)
	o.lock(a.Release, "releases the lock", " is released here")
	o.add(1, rival.Access, rival.Kind+"s "+a.Object.Short(), between)
	o.lock(a.Later, "takes the lock again", "")
	acted := a.Object
	if a.ActObject != nil {
		acted = *a.ActObject
	}
	o.access(a.Act, acted, act)
	return o.run
}

// mainRival returns the rival that the message names, or else the first that is another function.
func (f *Finding) mainRival() Rival {
	for _, r := range f.Anchors.Rivals {
		if strings.Contains(f.Message, fmt.Sprintf("%s:%d", filepath.Base(r.Access.File), r.Access.Line)) {
			return r
		}
	}
	for _, r := range f.Anchors.Rivals {
		if r.Func != f.Anchors.Unit {
			return r
		}
	}
	return f.Anchors.Rivals[0]
}

// states says what holds after the check, after the access of the rival, and after the act.
func (a *Anchors) states() (check, between, act string) {
	x, y := a.Object.Short(), ""
	if a.ActObject != nil {
		y = a.ActObject.Short()
	}
	if a.Interference == "read" {
		if y == "" {
			return x + " is half updated", "goroutine 2 sees it half updated", x + " is complete"
		}
		return x + " is new, " + y + " still old", "goroutine 2 sees the one new and the other old", "both are new"
	}
	check, between = x+" is as goroutine 1 knows it", x+" has changed"
	if a.Check.Op == "write" {
		return check, between, x + " is not what goroutine 1 left"
	}
	if y != "" && a.Act.Op == "read" {
		return check, between, "goroutine 1 has an old " + x + " and a new " + y
	}
	return check, between, "goroutine 1 went by the old " + x
}

// An outline collects the steps of a run of which only the places are known.
type outline struct {
	f   *Finding
	run *Interleaving
}

// access adds an access of the unit. Of one in a callee, the step is at the call.
func (o *outline) access(a Access, object Object, state string) {
	message := a.Op + "s " + object.Short()
	if a.Access != nil {
		message += fmt.Sprintf(", in a callee (%s:%d)", filepath.Base(a.Access.File), a.Access.Line)
	}
	o.add(0, a.Position, message, state)
}

// lock adds a step of a lock, if its place is known. The related position there may name the
// lock, in a message with the given end.
func (o *outline) lock(at *Position, message, end string) {
	if at == nil {
		return
	}
	for _, r := range o.f.Related {
		if lock, ok := strings.CutSuffix(r.Message, end); ok && end != "" && r.File == at.File && r.Line == at.Line {
			message = "releases " + lock
		}
	}
	o.add(0, *at, message, "")
}

func (o *outline) add(goroutine int, at Position, message, state string) {
	from, to := o.f.extent(at)
	o.run.Steps = append(o.run.Steps, Step{Goroutine: goroutine, Position: from, End: to, Message: message, State: state})
}

// extent returns the place of the finding around a position, or the position alone.
func (f *Finding) extent(at Position) (from, to Position) {
	around := func(from, to Position) bool {
		return from.File == at.File && from.Line == at.Line && to.Line == at.Line && from.Column <= at.Column && at.Column < to.Column
	}
	if around(f.Position, f.End) {
		return f.Position, f.End
	}
	for _, r := range f.Related {
		if around(r.Position, r.End) {
			return r.Position, r.End
		}
	}
	return at, at
}
