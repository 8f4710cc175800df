package claim

import "sync"

type stage int

const (
	filed stage = iota
	playing
	shown
)

type film struct {
	stage stage
	tries int
}

// Films are worked on by several goroutines. Who has found a film filed has the claim of it, by the name that was returned.
type Films struct {
	mu    sync.Mutex
	films map[string]*film
}

func (f *Films) Add(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.films[name] == nil {
		f.films[name] = &film{}
	}
}

func (f *Films) claim() (name string, tries int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, one := range f.films {
		if one.stage == filed {
			one.stage = playing
			return name, one.tries, true
		}
	}
	return "", 0, false
}

func (f *Films) settle(name string, to stage, tries int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.films[name]
	one.stage = to
	one.tries = tries
}

// Step writes what it has read with the claim.
func (f *Films) Step(convert func(string) error) bool {
	name, tries, ok := f.claim()
	if !ok {
		return false
	}
	if convert(name) != nil {
		f.settle(name, filed, tries+1)
	} else {
		f.settle(name, shown, tries+1)
	}
	return true
}

func (f *Films) next() (name string, tries int, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for name, one := range f.films {
		if one.stage == filed {
			return name, one.tries, true
		}
	}
	return "", 0, false
}

// Peek has no claim: two goroutines may have the same film.
func (f *Films) Peek(convert func(string) error) bool {
	name, tries, ok := f.next()
	if !ok {
		return false
	}
	if convert(name) == nil {
		f.settle(name, shown, tries+1) // want `lost-update: f\.films\[…\]\.tries was read at line`
	}
	return true
}

// A Press claims a sheet, and counts what all sheets have taken.
type Press struct {
	mu     sync.Mutex
	sheets map[string]*sheet
	total  int
}

type sheet struct{ inWork bool }

func (p *Press) Add(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sheets[name] == nil {
		p.sheets[name] = &sheet{}
	}
}

func (p *Press) claim() (string, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, s := range p.sheets {
		if !s.inWork {
			s.inWork = true
			return name, p.total
		}
	}
	return "", 0
}

func (p *Press) finish(name string, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sheets[name].inWork = false
	p.total = total
}

// Print has the claim of its sheet, and not of the total.
func (p *Press) Print(work func(string) int) {
	name, total := p.claim()
	if name == "" {
		return
	}
	p.finish(name, total+work(name)) // want `lost-update: p\.total was read at line`
}
