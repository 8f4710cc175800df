package interleave

import (
	"fmt"
	"go/token"
)

// An Action is what happens in a step of a run.
type Action uint8

const (
	Reads    Action = iota // a cell of the start state is read
	Writes                 // it is written
	Released               // a lock is released
	Switched               // the other unit goes on
)

// A Step is something that happens to shared memory in a run.
type Step struct {
	Unit   int // 1 or 2
	Action Action
	Pos    token.Pos
	Place  string // the cell, or the lock
	Value  string
}

// String describes the step.
func (s Step) String() string {
	switch s.Action {
	case Reads:
		return fmt.Sprintf("T%d reads %s: %s", s.Unit, s.Place, s.Value)
	case Writes:
		return fmt.Sprintf("T%d writes %s: %s", s.Unit, s.Place, s.Value)
	case Released:
		return fmt.Sprintf("T%d releases %s", s.Unit, s.Place)
	}
	return "the other goroutine goes on"
}

// An event is a step whose value is not yet described.
type event struct {
	Step
	val value
}

// history describes what has happened in a run.
func (r *run) history() []Step {
	var out []Step
	for _, e := range r.log {
		switch v := e.val.(type) {
		case nil:
			e.Value = "absent"
		case number:
			e.Value = r.w.normal(v).text()
		default:
			e.Value = r.w.root(v).text()
		}
		out = append(out, e.Step)
	}
	return out
}

// accessed notes an access to a cell.
func (r *run) accessed(t *thread, o *object, path string, write bool, v value) {
	if !o.isShared() || t == nil {
		return
	}
	bit := uint8(1) << (2 * t.id)
	action := Reads
	if write {
		bit <<= 1
		action = Writes
	}
	key := o.id + path
	r.uses[key] |= bit
	if seen := uint8(1) << t.id; write {
		r.lost[key] = r.written[key]&(2>>t.id) != 0 && r.fresh[key]&seen == 0
		r.written[key], r.fresh[key] = seen, seen
	} else {
		r.fresh[key] |= seen
	}
	if path != lengthPath {
		r.record(t, action, key, v)
	}
}

func (r *run) record(t *thread, a Action, place string, v value) {
	e := event{Step{Action: a, Pos: r.now, Place: place}, v}
	if t != nil {
		e.Unit = t.id + 1
	}
	r.log = append(r.log, e)
}

// meets reports whether one unit has written what the other one has used.
func (r *run) meets() bool {
	for _, bits := range r.uses {
		if bits&0b0010 != 0 && bits&0b1100 != 0 || bits&0b1000 != 0 && bits&0b0011 != 0 {
			return true
		}
	}
	return false
}
