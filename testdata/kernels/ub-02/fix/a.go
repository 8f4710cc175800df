package a

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync/atomic"
)

// Usage counts the connections of a TCP proxy.
type Usage struct {
	active atomic.Int64
	peak   atomic.Int64
	total  atomic.Uint64
	bytes  atomic.Uint64
}

// enter notes a new connection.
func (u *Usage) enter() {
	u.total.Add(1)
	now := u.active.Add(1)
	u.raisePeak(now)
}

// raisePeak lifts the high-water mark to n if n exceeds it.
func (u *Usage) raisePeak(n int64) {
	for {
		cur := u.peak.Load()
		if n <= cur || u.peak.CompareAndSwap(cur, n) {
			return
		}
	}
}

func (u *Usage) leave(n int64) {
	u.active.Add(-1)
	if n > 0 {
		u.bytes.Add(uint64(n))
	}
}

// Peak returns the highest number of connections open at the same time; the
// capacity planner reads it once a day.
func (u *Usage) Peak() int64 { return u.peak.Load() }

// Active returns the number of connections open now.
func (u *Usage) Active() int64 { return u.active.Load() }

// WriteTo prints the counters in the text exposition format.
func (u *Usage) WriteTo(w io.Writer) (int64, error) {
	n, err := fmt.Fprintf(w, "proxy_active %d\nproxy_peak %d\nproxy_total %d\nproxy_bytes %d\n",
		u.active.Load(), u.peak.Load(), u.total.Load(), u.bytes.Load())
	return int64(n), err
}

// Proxy forwards connections to one upstream.
type Proxy struct {
	upstream string
	usage    *Usage
}

// NewProxy returns a proxy for the given upstream address.
func NewProxy(upstream string) *Proxy {
	return &Proxy{upstream: upstream, usage: &Usage{}}
}

// Usage returns the live counters.
func (p *Proxy) Usage() *Usage { return p.usage }

// Serve accepts connections until the listener is closed.
func (p *Proxy) Serve(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		go p.handle(conn)
	}
}

func (p *Proxy) handle(conn net.Conn) {
	defer conn.Close()
	p.usage.enter()
	var n int64
	defer func() { p.usage.leave(n) }()

	up, err := net.Dial("tcp", p.upstream)
	if err != nil {
		return
	}
	defer up.Close()
	go func() { _, _ = io.Copy(conn, up) }()
	n, _ = io.Copy(up, conn)
}
