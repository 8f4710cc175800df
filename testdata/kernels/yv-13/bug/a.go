package a

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"
)

// Live holds the newest version of a value.
type Live[T any] struct {
	p atomic.Pointer[T]
}

func (l *Live[T]) Get() T {
	if v := l.p.Load(); v != nil {
		return *v
	}
	var zero T
	return zero
}

func (l *Live[T]) Set(v T) { l.p.Store(&v) }

type Secret struct {
	Lease    string
	User     string
	Password string
	TTL      time.Duration
}

type Vault interface {
	Issue(ctx context.Context, role string) (Secret, error)
	Revoke(ctx context.Context, lease string) error
}

// Agent keeps short-lived database credentials fresh.
type Agent struct {
	vault Vault
	role  string
	host  string
	db    string
	log   *slog.Logger

	secret    Live[Secret]
	rotations atomic.Int64
}

func NewAgent(ctx context.Context, v Vault, role, host, db string, log *slog.Logger) (*Agent, error) {
	a := &Agent{vault: v, role: role, host: host, db: db, log: log}
	if err := a.Rotate(ctx); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *Agent) Rotate(ctx context.Context) error {
	s, err := a.vault.Issue(ctx, a.role)
	if err != nil {
		return fmt.Errorf("rotate %s: %w", a.role, err)
	}
	a.secret.Set(s)
	a.rotations.Add(1)
	return nil
}

func (a *Agent) Run(ctx context.Context) {
	for {
		wait := max(a.secret.Get().TTL/2, time.Second)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if err := a.Rotate(ctx); err != nil {
			a.log.Error("rotation failed", "err", err)
		}
	}
}

// User is shown on the status page.
func (a *Agent) User() string { return a.secret.Get().User }

func (a *Agent) password() string { return a.secret.Get().Password }

func (a *Agent) Rotations() int64 { return a.rotations.Load() }

// DSN is called by the pool for every new connection.
func (a *Agent) DSN() string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(a.User(), a.password()),
		Host:     a.host,
		Path:     "/" + a.db,
		RawQuery: "sslmode=verify-full",
	}
	return u.String()
}

// Ready serves the readiness probe.
func (a *Agent) Ready() bool { return a.User() != "" }
