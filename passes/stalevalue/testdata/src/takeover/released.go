package takeover

import "sync"

// Refs are locks under names.
type Refs struct {
	mu   sync.Mutex
	held map[string]bool
}

func (r *Refs) acquire(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held[name] {
		return false
	}
	r.held[name] = true
	return true
}

func (r *Refs) release(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.held, name)
}

// Write releases the name before the deferred call does it again.
func (r *Refs) Write(name string, commit func() error) error {
	if !r.acquire(name) {
		return nil
	}
	defer r.release(name) // want `r.held\[name\] is removed here, whatever is there by now: it was removed at line 35, and \(\*Refs\).acquire \(released.go:\d+\) may have put something there since`
	err := commit()
	if err == nil {
		r.release(name)
	}
	return err
}

// WriteOnce releases it in one of two branches.
func (r *Refs) WriteOnce(name string, commit func() error) error {
	if !r.acquire(name) {
		return nil
	}
	if err := commit(); err != nil {
		r.release(name)
		return err
	}
	r.release(name)
	return nil
}

// WriteMarked asks whether it has been released.
func (r *Refs) WriteMarked(name string, commit func() error) error {
	if !r.acquire(name) {
		return nil
	}
	released := false
	defer func() {
		if !released {
			r.release(name)
		}
	}()
	err := commit()
	if err == nil {
		r.release(name)
		released = true
	}
	return err
}
