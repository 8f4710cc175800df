package a

import (
	"context"
	"errors"
	"sync"
	"time"
)

var ErrDenied = errors.New("desktop: access denied")

type Policy struct {
	Version   int
	Clipboard bool
	MaxIdle   time.Duration
}

type Agent interface {
	Handshake(ctx context.Context, user string, p Policy) error
}

type session struct {
	user   string
	policy Policy
	active time.Time
}

type Broker struct {
	agent Agent

	mu       sync.Mutex
	policy   Policy
	sessions map[int]*session
	next     int
}

func NewBroker(a Agent, p Policy) *Broker {
	return &Broker{agent: a, policy: p, sessions: make(map[int]*session)}
}

// SetPolicy is for sessions which are opened from now on. A session keeps to
// its end the policy that was shown to the user in the handshake.
func (b *Broker) SetPolicy(p Policy) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p.Version = b.policy.Version + 1
	b.policy = p
}

func (b *Broker) Policy() Policy {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.policy
}

func (b *Broker) Open(ctx context.Context, user string) (int, error) {
	p := b.Policy()
	if err := b.agent.Handshake(ctx, user, p); err != nil {
		return 0, errors.Join(ErrDenied, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	b.sessions[b.next] = &session{user: user, policy: p, active: time.Now()}
	return b.next, nil
}

func (b *Broker) Touch(id int, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.sessions[id]
	if !ok {
		return false
	}
	if now.Sub(s.active) > s.policy.MaxIdle {
		delete(b.sessions, id)
		return false
	}
	s.active = now
	return true
}

func (b *Broker) MayPaste(id int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.sessions[id]
	return ok && s.policy.Clipboard
}

func (b *Broker) Close(id int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.sessions, id)
}
