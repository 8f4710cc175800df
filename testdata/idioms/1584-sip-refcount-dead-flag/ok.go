package a

import (
	"context"
	"sync"
)

type Media interface {
	Close() error
}

// Dialog is shared by all legs with the same call id.
type Dialog struct {
	ID    string
	media Media

	mu   sync.Mutex
	legs int
	dead bool
}

// join adds a leg, unless the dialog has been torn down.
func (d *Dialog) join(open func(string) (Media, error)) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead {
		return false, nil
	}
	if d.media == nil {
		m, err := open(d.ID)
		if err != nil {
			return true, err
		}
		d.media = m
	}
	d.legs++
	return true, nil
}

type Registry struct {
	dialogs sync.Map // call id -> *Dialog
	open    func(id string) (Media, error)
}

func NewRegistry(open func(string) (Media, error)) *Registry {
	return &Registry{open: open}
}

func (r *Registry) Join(id string) (*Dialog, error) {
	for {
		v, ok := r.dialogs.Load(id)
		if !ok {
			v, _ = r.dialogs.LoadOrStore(id, &Dialog{ID: id})
		}
		d := v.(*Dialog)
		alive, err := d.join(r.open)
		if err != nil {
			r.reap(d)
			return nil, err
		}
		if alive {
			return d, nil
		}
	}
}

// Leave removes one leg; each Join is followed by exactly one Leave.
func (r *Registry) Leave(d *Dialog) {
	d.mu.Lock()
	d.legs--
	d.mu.Unlock()
	r.reap(d)
}

// reap tears the dialog down if nobody is left.
func (r *Registry) reap(d *Dialog) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dead || d.legs > 0 {
		return
	}
	d.dead = true
	r.dialogs.CompareAndDelete(d.ID, d)
	if d.media != nil {
		_ = d.media.Close()
	}
}

// Handle serves one leg until its context ends.
func (r *Registry) Handle(ctx context.Context, id string, leg func(context.Context, *Dialog) error) error {
	d, err := r.Join(id)
	if err != nil {
		return err
	}
	defer r.Leave(d)
	return leg(ctx, d)
}

func (r *Registry) Active() (n int) {
	r.dialogs.Range(func(_, v any) bool {
		n++
		return true
	})
	return n
}
