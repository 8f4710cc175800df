package funcsum

import "slices"

// holdSets shares the lists of guards of the accesses of a function. Most accesses have the
// list of one shortly before: they are in the same critical section, and those of a call in one of
// its few.
type holdSets struct {
	recent [8][]Hold // a ring
	next   int
	work   []Hold // to compose a list in
}

// shared returns a list that is equal to one in h.work, whose memory is used again. Its capacity
// is its length, so that to append to it makes a copy.
func (h *holdSets) shared(list []Hold) []Hold {
	h.work = list
	if len(list) == 0 {
		return nil
	}
	for _, known := range h.recent {
		if slices.EqualFunc(known, list, equalHolds) {
			return known
		}
	}
	own := slices.Clip(append(make([]Hold, 0, len(list)), list...))
	h.recent[h.next%len(h.recent)] = own
	h.next++
	return own
}

func equalHolds(a, b Hold) bool {
	return a.SamePassage(b) && a.Guard == b.Guard && a.entry == b.entry && a.origin == b.origin
}
