package agent

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// ErrNotConnected is returned while there is no connection to the server.
var ErrNotConnected = errors.New("agent: not connected")

// Session is a connection to the control server.
type Session interface {
	Report(ctx context.Context, status []byte) error
	Closed() <-chan struct{}
	Close() error
}

// Dialer connects to the control server.
type Dialer interface {
	Dial(ctx context.Context) (Session, error)
}

// Link keeps the agent connected.
type Link struct {
	dialer Dialer
	retry  time.Duration
	cancel context.CancelFunc
	ended  chan struct{}
	once   sync.Once

	mu      sync.Mutex
	closing bool
	session Session
	dials   int
}

// NewLink returns a link that connects in the background.
func NewLink(d Dialer, retry time.Duration) *Link {
	ctx, cancel := context.WithCancel(context.Background())
	l := &Link{dialer: d, retry: retry, cancel: cancel, ended: make(chan struct{})}
	go l.run(ctx)
	return l
}

func (l *Link) isClosing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closing
}

func (l *Link) setSession(s Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session = s
	l.dials++
}

func (l *Link) takeSession() Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.session
	l.session = nil
	return s
}

func (l *Link) run(ctx context.Context) {
	defer close(l.ended)
	for !l.isClosing() {
		s, err := l.dialer.Dial(ctx)
		if err != nil {
			slog.Warn("agent: dial", "err", err)
			select {
			case <-time.After(l.retry):
			case <-ctx.Done():
			}
			continue
		}
		l.setSession(s)
		select {
		case <-s.Closed():
			slog.Info("agent: connection lost")
			l.closeSession()
		case <-ctx.Done():
		}
	}
}

func (l *Link) closeSession() {
	if s := l.takeSession(); s != nil {
		if err := s.Close(); err != nil {
			slog.Debug("agent: close", "err", err)
		}
	}
}

func (l *Link) current() (Session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing || l.session == nil {
		return nil, ErrNotConnected
	}
	return l.session, nil
}

// Report sends a status to the server.
func (l *Link) Report(ctx context.Context, status []byte) error {
	s, err := l.current()
	if err != nil {
		return err
	}
	return s.Report(ctx, status)
}

// Close disconnects. It returns when the connection is closed.
func (l *Link) Close() {
	l.once.Do(func() {
		l.mu.Lock()
		l.closing = true
		l.mu.Unlock()
		l.cancel()
		<-l.ended
		l.closeSession()
	})
}

// Heartbeat reports the result of status every interval until ctx is done.
func Heartbeat(ctx context.Context, l *Link, every time.Duration, status func() []byte) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := l.Report(ctx, status()); err != nil && !errors.Is(err, ErrNotConnected) {
				slog.Warn("agent: heartbeat", "err", err)
			}
		}
	}
}
