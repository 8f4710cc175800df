package creds

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Issuer hands out a fresh access key with its secret.
type Issuer interface {
	Issue(ctx context.Context) (keyID, secret string, err error)
}

type state struct {
	keyID   string
	secret  string
	issued  time.Time
	rotated int
}

type Rotator struct {
	lock sync.Mutex
	st   state
	src  Issuer
}

func (r *Rotator) withLock(f func(*state)) {
	r.lock.Lock()
	defer r.lock.Unlock()
	f(&r.st)
}

// Start issues the first key and renews it at every tick.
func Start(ctx context.Context, src Issuer, every time.Duration) (*Rotator, error) {
	r := &Rotator{src: src}
	if err := r.rotate(ctx); err != nil {
		return nil, err
	}
	go func() {
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				_ = r.rotate(ctx)
			}
		}
	}()
	return r, nil
}

func (r *Rotator) rotate(ctx context.Context) error {
	id, sec, err := r.src.Issue(ctx)
	if err != nil {
		return err
	}
	r.withLock(func(s *state) {
		s.keyID, s.secret = id, sec
		s.issued = time.Now()
		s.rotated++
	})
	return nil
}

// Sign returns the key id and the signature to send along with payload.
func (r *Rotator) Sign(payload []byte, mac func(secret string, p []byte) string) (id, sig string, err error) {
	if len(payload) == 0 {
		return "", "", errors.New("creds: empty payload")
	}
	var secret string
	r.withLock(func(s *state) { secret, id = s.secret, s.keyID })
	sig = mac(secret, payload)

	return id, sig, nil
}

func (r *Rotator) Age() (d time.Duration) {
	r.withLock(func(s *state) { d = time.Since(s.issued) })
	return
}
