// Correct: the token channel of a group holds one token and is its lock: who
// has the token is the only one to load, save and store the group's offset.
// The mutex is for readers and is let go while the offset is saved.
package offsets

import (
	"context"
	"errors"
	"sync"
)

// ErrRewind is returned for commits that would move an offset back.
var ErrRewind = errors.New("offset would move back")

// Saver makes offsets durable.
type Saver interface {
	Save(ctx context.Context, group string, offset int64) error
}

type group struct {
	token chan struct{}

	mu     sync.Mutex
	offset int64
}

func newGroup() *group {
	g := &group{token: make(chan struct{}, 1)}
	g.token <- struct{}{}
	return g
}

func (g *group) load() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.offset
}

func (g *group) store(offset int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.offset = offset
}

func (g *group) acquire(ctx context.Context) error {
	select {
	case <-g.token:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *group) release() {
	g.token <- struct{}{}
}

// Offsets keeps the offsets of consumer groups.
type Offsets struct {
	saver Saver

	mu     sync.Mutex
	groups map[string]*group
}

// New returns offsets that are saved with saver.
func New(saver Saver) *Offsets {
	return &Offsets{saver: saver, groups: make(map[string]*group)}
}

func (o *Offsets) group(name string) *group {
	o.mu.Lock()
	defer o.mu.Unlock()
	g, ok := o.groups[name]
	if !ok {
		g = newGroup()
		o.groups[name] = g
	}
	return g
}

// Commit moves the offset of a group forward.
func (o *Offsets) Commit(ctx context.Context, name string, offset int64) error {
	g := o.group(name)
	if err := g.acquire(ctx); err != nil {
		return err
	}
	defer g.release()
	cur := g.load()
	switch {
	case offset == cur:
		return nil
	case offset < cur:
		return ErrRewind
	}
	if err := o.saver.Save(ctx, name, offset); err != nil {
		return err
	}
	g.store(offset)
	return nil
}

// Advance moves the offset of a group by n and returns where it is then.
func (o *Offsets) Advance(ctx context.Context, name string, n int64) (int64, error) {
	g := o.group(name)
	if err := g.acquire(ctx); err != nil {
		return 0, err
	}
	defer g.release()
	next := g.load() + n
	if err := o.saver.Save(ctx, name, next); err != nil {
		return 0, err
	}
	g.store(next)
	return next, nil
}

// Offset returns the offset of a group.
func (o *Offsets) Offset(name string) int64 {
	return o.group(name).load()
}
