// Package a issues the one-time codes of the sign-in by mail.
package a

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"sync"
	"time"
)

var (
	ErrNoCode    = errors.New("codes: no code is outstanding")
	ErrWrongCode = errors.New("codes: wrong code")
)

const maxTries = 5

// pending is the code a user has been sent and not used yet.
type pending struct {
	code  string
	tries int
	timer *time.Timer
}

// Codes keeps at most one outstanding code per user. A new code replaces the
// one before it and has its full lifetime.
type Codes struct {
	ttl time.Duration

	mu     sync.Mutex
	byUser map[string]*pending
}

// NewCodes returns a store of codes that live for ttl.
func NewCodes(ttl time.Duration) *Codes {
	return &Codes{ttl: ttl, byUser: make(map[string]*pending)}
}

// Issue makes a new code for user.
func (c *Codes) Issue(user string) (string, error) {
	var raw [5]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return "", err
	}
	p := &pending{code: base32.StdEncoding.EncodeToString(raw[:])}

	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.byUser[user]; old != nil {
		old.timer.Stop()
	}
	p.timer = time.AfterFunc(c.ttl, func() { c.expire(user, p) })
	c.byUser[user] = p
	return p.code, nil
}

// expire runs when the lifetime of a code is over.
func (c *Codes) expire(user string, p *pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byUser[user] == p {
		delete(c.byUser, user)
	}
}

// Redeem checks the code that user typed. A right code is used up; too many
// wrong ones void it.
func (c *Codes) Redeem(user, code string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.byUser[user]
	if p == nil {
		return ErrNoCode
	}
	if subtle.ConstantTimeCompare([]byte(p.code), []byte(code)) != 1 {
		p.tries++
		if p.tries >= maxTries {
			c.dropLocked(user, p)
		}
		return ErrWrongCode
	}
	c.dropLocked(user, p)
	return nil
}

// Revoke voids the code of user, if there is one.
func (c *Codes) Revoke(user string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.byUser[user]; p != nil {
		c.dropLocked(user, p)
	}
}

func (c *Codes) dropLocked(user string, p *pending) {
	p.timer.Stop()
	delete(c.byUser, user)
}

// Outstanding returns the number of codes that wait for their user.
func (c *Codes) Outstanding() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.byUser)
}
