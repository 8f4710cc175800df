// Package fix records notes about objects and joins equal ones to series.
package fix

import (
	"errors"
	"sync"
	"time"
)

const (
	seriesEnd = 6 * time.Minute
	maxTries  = 12
)

var (
	errGone = errors.New("note does not exist")
	errBusy = errors.New("store is busy")
)

// Series counts equal notes.
type Series struct {
	Count int
	Last  time.Time
}

// Note is one record about an object.
type Note struct {
	Object  string
	Reason  string
	Text    string
	Time    time.Time
	Version string
	Series  *Series
}

func (n *Note) clone() *Note {
	c := *n
	if n.Series != nil {
		s := *n.Series
		c.Series = &s
	}
	return &c
}

type noteKey struct {
	object, reason, text string
}

func keyOf(n *Note) noteKey {
	return noteKey{n.Object, n.Reason, n.Text}
}

// Store keeps notes elsewhere; it returns its own copy of the note.
type Store interface {
	Insert(*Note) (*Note, error)
	Amend(*Note) (*Note, error)
}

// courier brings notes to the store.
type courier struct {
	store Store
	pause time.Duration

	mu    sync.Mutex
	cache map[noteKey]*Note

	wg   sync.WaitGroup
	stop chan struct{}
}

func newCourier(store Store, pause time.Duration) *courier {
	c := &courier{store: store, pause: pause, cache: make(map[noteKey]*Note), stop: make(chan struct{})}
	go c.housekeeping()
	return c
}

func (c *courier) housekeeping() {
	refresh := time.NewTicker(30 * time.Minute)
	defer refresh.Stop()
	finish := time.NewTicker(seriesEnd)
	defer finish.Stop()
	for {
		select {
		case <-refresh.C:
			c.refreshSeries()
		case <-finish.C:
			c.finishSeries(time.Now())
		case <-c.stop:
			return
		}
	}
}

// refreshSeries keeps running series alive in the store.
func (c *courier) refreshSeries() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, n := range c.cache {
		if n.Series == nil {
			continue
		}
		if got, again := c.record(n.clone()); !again && got != nil {
			c.cache[k] = got.clone()
		}
	}
}

// finishSeries writes the final count of series that have ended.
func (c *courier) finishSeries(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, n := range c.cache {
		if n.Series != nil {
			if n.Series.Last.Before(now.Add(-seriesEnd)) {
				if _, again := c.record(n.clone()); !again {
					delete(c.cache, k)
				}
			}
		} else if n.Time.Before(now.Add(-seriesEnd)) {
			delete(c.cache, k)
		}
	}
}

// Post takes a note; it does not wait for the store.
func (c *courier) Post(n Note) {
	n.Time = time.Now()
	c.wg.Add(1)
	go func() {
		defer c.wg.Done()
		c.deliver(&n)
	}()
}

func (c *courier) deliver(n *Note) {
	send := func() *Note {
		c.mu.Lock()
		defer c.mu.Unlock()
		k := keyOf(n)
		if old, ok := c.cache[k]; ok {
			if old.Series != nil {
				old.Series.Count++
				old.Series.Last = n.Time
				return nil
			}
			old.Series = &Series{Count: 1, Last: n.Time}
			return old.clone()
		}
		c.cache[k] = n
		return n.clone()
	}()
	if send == nil {
		return
	}
	c.recordPatiently(send)
}

func (c *courier) recordPatiently(n *Note) *Note {
	for try := 0; try < maxTries; try++ {
		got, again := c.record(n)
		if !again {
			return got
		}
		time.Sleep(c.pause)
	}
	return nil
}

// record sends the note once and reports whether to try again.
func (c *courier) record(n *Note) (*Note, bool) {
	var got *Note
	err := errGone
	if n.Series != nil {
		got, err = c.store.Amend(n)
	}
	if n.Series == nil || errors.Is(err, errGone) {
		n.Version = ""
		got, err = c.store.Insert(n)
	}
	if err == nil {
		return got, false
	}
	return nil, errors.Is(err, errBusy)
}

// Close waits for the notes on their way.
func (c *courier) Close() {
	close(c.stop)
	c.wg.Wait()
}
