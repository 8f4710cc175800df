package a

import (
	"sync"
	"sync/atomic"
	"time"
)

// Status is what a user shows to the others.
type Status string

type presence struct {
	status Status
	seen   time.Time
}

// Directory tells who is online. Clients send heartbeats; a user without a
// heartbeat for the time to live goes offline.
type Directory struct {
	ttl  time.Duration
	lost atomic.Int64

	lock  sync.RWMutex
	users map[string]*presence

	quit chan struct{}
	once sync.Once
}

// NewDirectory starts a directory.
func NewDirectory(ttl time.Duration) *Directory {
	d := &Directory{
		ttl:   ttl,
		users: make(map[string]*presence),
		quit:  make(chan struct{}),
	}
	go d.loop(ttl / 4)
	return d
}

func (d *Directory) loop(every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-d.quit:
			return
		case now := <-t.C:
			d.sweep(now)
		}
	}
}

// Heartbeat notes that the user is there.
func (d *Directory) Heartbeat(user string, st Status) {
	d.lock.Lock()
	defer d.lock.Unlock()
	p, ok := d.users[user]
	if !ok {
		p = &presence{}
		d.users[user] = p
	}
	p.status, p.seen = st, time.Now()
}

// Online returns the status of a user.
func (d *Directory) Online(user string) (Status, bool) {
	d.lock.RLock()
	defer d.lock.RUnlock()
	p, ok := d.users[user]
	if !ok {
		return "", false
	}
	return p.status, true
}

// idle lists the users without a heartbeat since now-ttl.
func (d *Directory) idle(now time.Time) []string {
	d.lock.RLock()
	defer d.lock.RUnlock()
	var names []string
	for name, p := range d.users {
		if now.Sub(p.seen) > d.ttl {
			names = append(names, name)
		}
	}
	return names
}

func (d *Directory) sweep(now time.Time) {
	for _, name := range d.idle(now) {
		d.lock.Lock()
		if p, ok := d.users[name]; ok && now.Sub(p.seen) > d.ttl {
			delete(d.users, name)
			d.lost.Add(1)
		}
		d.lock.Unlock()
	}
}

// Lost returns the number of users that went away without a word.
func (d *Directory) Lost() int64 { return d.lost.Load() }

// Close stops the sweeper.
func (d *Directory) Close() {
	d.once.Do(func() { close(d.quit) })
}
