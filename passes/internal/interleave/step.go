package interleave

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
