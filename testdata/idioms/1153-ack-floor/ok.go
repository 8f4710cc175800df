// Correct: the floor is told to the checkpoint after the lock of the tracker
// is left, so two of them may arrive in the wrong order; but a floor only
// grows and raise keeps the greater one, so the order does not matter.
package ok

import "sync"

// Saver writes a number to disk.
type Saver interface {
	Save(seq uint64) error
}

// checkpoint is the number up to which all is done, as it is on disk.
type checkpoint struct {
	out Saver

	mu  sync.Mutex
	seq uint64
}

func (c *checkpoint) raise(seq uint64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if seq <= c.seq {
		return nil
	}
	if err := c.out.Save(seq); err != nil {
		return err
	}
	c.seq = seq
	return nil
}

func (c *checkpoint) value() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seq
}

// Tracker gives out numbers and learns, in any order, which are done.
type Tracker struct {
	cp *checkpoint

	mu    sync.Mutex
	last  uint64
	floor uint64
	early map[uint64]struct{}
}

// NewTracker goes on after seq.
func NewTracker(out Saver, seq uint64) *Tracker {
	return &Tracker{
		cp:    &checkpoint{out: out, seq: seq},
		last:  seq,
		floor: seq,
		early: make(map[uint64]struct{}),
	}
}

// Next gives out a number.
func (t *Tracker) Next() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	return t.last
}

func (t *Tracker) settle(seq uint64) (floor uint64, moved bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if seq <= t.floor || seq > t.last {
		return t.floor, false
	}
	t.early[seq] = struct{}{}
	for {
		if _, ok := t.early[t.floor+1]; !ok {
			return t.floor, moved
		}
		t.floor++
		delete(t.early, t.floor)
		moved = true
	}
}

// Ack says that seq is done; workers call it.
func (t *Tracker) Ack(seq uint64) error {
	floor, moved := t.settle(seq)
	if !moved {
		return nil
	}
	return t.cp.raise(floor)
}

// Sync makes sure the checkpoint is not behind.
func (t *Tracker) Sync() error {
	t.mu.Lock()
	floor := t.floor
	t.mu.Unlock()
	return t.cp.raise(floor)
}

// Saved is the number a restart would go on after.
func (t *Tracker) Saved() uint64 { return t.cp.value() }
