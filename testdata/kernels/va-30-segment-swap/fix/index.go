package index

import "sync/atomic"

type Index struct {
	cur    atomic.Pointer[segment]
	onFree func(name string)
}

func Open(name string, terms map[string][]uint32, onFree func(string)) *Index {
	x := &Index{onFree: onFree}
	x.cur.Store(newSegment(name, terms))
	return x
}

func (x *Index) pin() *segment {
	for {
		if s := x.cur.Load(); s.retain() {
			return s
		}
	}
}

func (x *Index) Lookup(terms ...string) map[string][]uint32 {
	s := x.pin()
	defer s.release()
	found := make(map[string][]uint32, len(terms))
	for _, t := range terms {
		if p := s.postings(t); len(p) > 0 {
			found[t] = p
		}
	}
	return found
}

func (x *Index) Replace(name string, terms map[string][]uint32) {
	old := x.cur.Swap(newSegment(name, terms))
	go func() {
		<-old.freed
		x.onFree(old.name)
	}()
	old.release()
}
