package subchan

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

var errNoAddrs = errors.New("no address could be reached")

type linkState int

const (
	linkIdle linkState = iota
	linkConnecting
	linkReady
	linkFailing
	linkShutdown
)

// Link is a connection to one of several equivalent addresses.
type Link struct {
	dialer net.Dialer
	notify func(linkState)

	mu     sync.Mutex
	state  linkState
	addrs  []string
	tries  int
	conn   net.Conn
	ctx    context.Context // of the current attempt or connection
	cancel context.CancelFunc
}

// NewLink returns an idle link. notify must not call the link.
func NewLink(addrs []string, notify func(linkState)) *Link {
	l := &Link{addrs: slices.Clone(addrs), notify: notify}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

func (l *Link) setStateLocked(s linkState) {
	if l.state == s {
		return
	}
	l.state = s
	l.notify(s)
}

// Connect starts connecting if the link is idle.
func (l *Link) Connect() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != linkIdle {
		return
	}
	l.setStateLocked(linkConnecting)
	go l.establish(l.ctx, l.addrs, l.tries)
}

// SetAddrs replaces the addresses and drops the current connection.
func (l *Link) SetAddrs(addrs []string) {
	l.mu.Lock()
	if l.state == linkShutdown || slices.Equal(l.addrs, addrs) {
		l.mu.Unlock()
		return
	}
	l.addrs = slices.Clone(addrs)
	if l.state == linkIdle {
		l.mu.Unlock()
		return
	}
	old := l.resetLocked()
	l.setStateLocked(linkConnecting)
	go l.establish(l.ctx, l.addrs, l.tries)
	l.mu.Unlock()
	if old != nil {
		_ = old.Close()
	}
}

// resetLocked gives up the attempt or connection and returns the latter.
func (l *Link) resetLocked() net.Conn {
	l.cancel()
	l.ctx, l.cancel = context.WithCancel(context.Background())
	old := l.conn
	l.conn = nil
	return old
}

func (l *Link) establish(ctx context.Context, addrs []string, tries int) {
	conn, err := l.dialAny(ctx, addrs)

	l.mu.Lock()
	if ctx.Err() != nil {
		l.mu.Unlock()
		if conn != nil {
			_ = conn.Close()
		}
		return
	}
	if err == nil {
		l.conn = conn
		l.tries = 0
		l.setStateLocked(linkReady)
		l.mu.Unlock()
		go l.watch(ctx, conn)
		return
	}
	l.setStateLocked(linkFailing)
	l.mu.Unlock()

	select {
	case <-time.After(time.Duration(tries+1) * 100 * time.Millisecond):
	case <-ctx.Done():
		return
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() == nil {
		l.tries++
		l.setStateLocked(linkIdle)
	}
}

func (l *Link) dialAny(ctx context.Context, addrs []string) (net.Conn, error) {
	err := errNoAddrs
	for _, a := range addrs {
		conn, derr := l.dialer.DialContext(ctx, "tcp", a)
		if derr == nil {
			return conn, nil
		}
		err = derr
	}
	return nil, err
}

// watch goes idle when the peer closes the connection.
func (l *Link) watch(ctx context.Context, conn net.Conn) {
	var b [1]byte
	_, _ = conn.Read(b[:])
	_ = conn.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	l.resetLocked()
	l.setStateLocked(linkIdle)
}

// Shutdown ends the link for good.
func (l *Link) Shutdown() {
	l.mu.Lock()
	if l.state == linkShutdown {
		l.mu.Unlock()
		return
	}
	old := l.resetLocked()
	l.setStateLocked(linkShutdown)
	l.mu.Unlock()
	if old != nil {
		_ = old.Close()
	}
}
