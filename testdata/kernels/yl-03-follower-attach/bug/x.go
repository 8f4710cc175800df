// Package bug replicates a command log from one leader to followers.
package bug

import (
	"errors"
	"maps"
	"slices"
	"sync"
)

var ErrUnknown = errors.New("replication: unknown follower")

type Command struct {
	Key, Value string
}

// Sink is the far end of a follower's connection.
type Sink interface {
	Install(image map[string]string, applied uint64) error
	Append(first uint64, cmds []Command) error
}

// state is the machine the commands are applied to.
type state struct {
	mu      sync.RWMutex
	applied uint64
	data    map[string]string
}

func (s *state) apply(index uint64, c Command) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[c.Key] = c.Value
	s.applied = index
}

func (s *state) image() (map[string]string, uint64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return maps.Clone(s.data), s.applied
}

// journal holds the commands; command i has index i+1.
type journal struct {
	mu   sync.Mutex
	cmds []Command
}

func (j *journal) add(c Command) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.cmds = append(j.cmds, c)
	return uint64(len(j.cmds))
}

func (j *journal) last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return uint64(len(j.cmds))
}

func (j *journal) from(index uint64) []Command {
	j.mu.Lock()
	defer j.mu.Unlock()
	if index > uint64(len(j.cmds)) {
		return nil
	}
	return slices.Clone(j.cmds[index-1:])
}

type follower struct {
	sink Sink

	mu   sync.Mutex // held while shipping
	next uint64
}

type Leader struct {
	state   state
	journal journal

	propose sync.Mutex // commands are applied in log order

	mu        sync.Mutex
	ids       int
	followers map[int]*follower
}

func NewLeader() *Leader {
	return &Leader{
		state:     state{data: make(map[string]string)},
		followers: make(map[int]*follower),
	}
}

// Propose logs and applies a command.
func (l *Leader) Propose(c Command) uint64 {
	l.propose.Lock()
	defer l.propose.Unlock()
	index := l.journal.add(c)
	l.state.apply(index, c)
	return index
}

// AddFollower gives a new follower an image of the state; from then on it
// gets its commands by Ship.
func (l *Leader) AddFollower(sink Sink) (int, error) {
	image, applied := l.state.image()
	if err := sink.Install(image, applied); err != nil {
		return 0, err
	}
	f := &follower{sink: sink, next: l.journal.last() + 1}

	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids++
	l.followers[l.ids] = f
	return l.ids, nil
}

// Ship sends a follower what it has not got yet.
func (l *Leader) Ship(id int) error {
	l.mu.Lock()
	f, ok := l.followers[id]
	l.mu.Unlock()
	if !ok {
		return ErrUnknown
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	cmds := l.journal.from(f.next)
	if len(cmds) == 0 {
		return nil
	}
	if err := f.sink.Append(f.next, cmds); err != nil {
		return err
	}
	f.next += uint64(len(cmds))
	return nil
}

// Remove forgets a follower.
func (l *Leader) Remove(id int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.followers, id)
}
