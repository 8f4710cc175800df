// Package ok sends entries from a leader to its followers.
package ok

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

var errStopped = errors.New("leader has stopped")

// Member is a member of the cluster.
type Member struct {
	ID   string
	Addr string
}

// Sender sends one request.
type Sender interface {
	Send(m Member, from, to uint64) error
}

// follower is the state of one follower.
type follower struct {
	member     Member
	memberLock sync.RWMutex

	next     uint64 // used by feed only
	failures atomic.Uint64

	stopC    chan uint64
	triggerC chan struct{}
}

func (f *follower) trigger() {
	select {
	case f.triggerC <- struct{}{}:
	default:
	}
}

// Leader is a leader for one term.
type Leader struct {
	self   string
	sender Sender

	last atomic.Uint64

	configC chan []Member
	appendC chan uint64
	stopC   chan struct{}
	doneC   chan struct{}

	feeds sync.WaitGroup

	// The following are used by the main loop only.
	members   []Member
	followers map[string]*follower
}

// NewLeader starts a leader.
func NewLeader(self string, members []Member, sender Sender) *Leader {
	l := &Leader{
		self:      self,
		sender:    sender,
		configC:   make(chan []Member),
		appendC:   make(chan uint64),
		stopC:     make(chan struct{}),
		doneC:     make(chan struct{}),
		members:   members,
		followers: make(map[string]*follower),
	}
	go l.loop()
	return l
}

func (l *Leader) loop() {
	defer close(l.doneC)
	l.adjustFollowers()
	for {
		select {
		case ms := <-l.configC:
			l.members = ms
			l.adjustFollowers()
		case n := <-l.appendC:
			l.last.Add(n)
			for _, f := range l.followers {
				f.trigger()
			}
		case <-l.stopC:
			l.members = nil
			l.adjustFollowers()
			l.feeds.Wait()
			return
		}
	}
}

// adjustFollowers starts and stops the feeds so that they are in line with the
// members.
func (l *Leader) adjustFollowers() {
	wanted := make(map[string]bool, len(l.members))
	last := l.last.Load()

	for _, m := range l.members {
		if m.ID == l.self {
			continue
		}
		wanted[m.ID] = true

		f, ok := l.followers[m.ID]
		if !ok {
			f = &follower{
				member:   m,
				next:     last + 1,
				stopC:    make(chan uint64, 1),
				triggerC: make(chan struct{}, 1),
			}
			l.followers[m.ID] = f
			l.feeds.Add(1)
			go l.feed(f)
			f.trigger()
		} else {
			f.memberLock.RLock()
			have := f.member
			f.memberLock.RUnlock()

			if have.Addr != m.Addr {
				f.memberLock.Lock()
				f.member = m
				f.memberLock.Unlock()
			}
		}
	}

	for id, f := range l.followers {
		if wanted[id] {
			continue
		}
		// Send up to last and stop.
		f.stopC <- last
		close(f.stopC)
		delete(l.followers, id)
	}
}

func (l *Leader) feed(f *follower) {
	defer l.feeds.Done()
	beat := time.NewTicker(50 * time.Millisecond)
	defer beat.Stop()
	for {
		select {
		case last := <-f.stopC:
			if last >= f.next {
				l.feedTo(f, last)
			}
			return
		case <-f.triggerC:
			l.feedTo(f, l.last.Load())
		case <-beat.C:
			l.feedTo(f, l.last.Load())
		}
	}
}

func (l *Leader) feedTo(f *follower, last uint64) {
	f.memberLock.RLock()
	m := f.member
	f.memberLock.RUnlock()

	if err := l.sender.Send(m, f.next, last); err != nil {
		f.failures.Add(1)
		return
	}
	f.next = last + 1
}

// SetMembers changes the members.
func (l *Leader) SetMembers(ms []Member) error {
	select {
	case l.configC <- append([]Member(nil), ms...):
		return nil
	case <-l.doneC:
		return errStopped
	}
}

// Append adds n entries.
func (l *Leader) Append(n uint64) error {
	select {
	case l.appendC <- n:
		return nil
	case <-l.doneC:
		return errStopped
	}
}

// Stop is called once.
func (l *Leader) Stop() {
	close(l.stopC)
	<-l.doneC
}
