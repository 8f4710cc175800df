package a

import (
	"context"
	"errors"
	"sync"
)

var errBusy = errors.New("kiln: already firing")

type firing struct {
	program string
	cancel  context.CancelFunc
}

// Pottery fires kilns by program.
type Pottery struct {
	heat func(ctx context.Context, kiln, program string) error

	mu     sync.Mutex
	active map[string]*firing
	done   map[string]int
}

func NewPottery(heat func(context.Context, string, string) error) *Pottery {
	return &Pottery{heat: heat, active: make(map[string]*firing), done: make(map[string]int)}
}

func (p *Pottery) enlist(kiln string, f *firing, force bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old, ok := p.active[kiln]; ok {
		if !force {
			return errBusy
		}
		old.cancel()
	}
	p.active[kiln] = f
	return nil
}

func (p *Pottery) retire(kiln string, f *firing, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.active[kiln] == f {
		delete(p.active, kiln)
	}
	if err == nil {
		p.done[f.program]++
	}
}

// Fire runs a program and waits for its end; with force it takes the place of
// one that runs. The two may overlap until the older one sees its context end.
func (p *Pottery) Fire(ctx context.Context, kiln, program string, force bool) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &firing{program: program, cancel: cancel}
	if err := p.enlist(kiln, f, force); err != nil {
		return err
	}
	defer func() { p.retire(kiln, f, err) }()
	return p.heat(ctx, kiln, program)
}

// Stop ends what runs in the kiln.
func (p *Pottery) Stop(kiln string) bool {
	p.mu.Lock()
	f, ok := p.active[kiln]
	p.mu.Unlock()
	if ok {
		f.cancel()
	}
	return ok
}

// Done counts the firings of a program that went to their end.
func (p *Pottery) Done(program string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done[program]
}
