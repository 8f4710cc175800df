package server

import (
	"net"
	"sync"
	"time"
)

type clientFlag uint8

const (
	flushOutbound    clientFlag = 1 << iota // Marks client as having a flushOutbound call in progress.
	connMarkedClosed                        // Marks that the connection is closed.
)

func (cf *clientFlag) set(c clientFlag)       { *cf |= c }
func (cf *clientFlag) clear(c clientFlag)     { *cf &= ^c }
func (cf clientFlag) isSet(c clientFlag) bool { return cf&c != 0 }

var bufPool = sync.Pool{New: func() any { return new([4096]byte) }}

func nbPoolGet() []byte { return bufPool.Get().(*[4096]byte)[:0] }

func nbPoolPut(b []byte) {
	if cap(b) == 4096 {
		bufPool.Put((*[4096]byte)(b[:4096]))
	}
}

// outbound holds pending data for a socket.
type outbound struct {
	nb  net.Buffers // Pending buffers for send, each has fixed capacity as per nbPool below.
	wnb net.Buffers // Working copy of "nb", reused on each flushOutbound call, partial writes may leave entries here for next iteration.
	pb  int64       // Total pending/queued bytes.
	wdl time.Duration
	sg  *sync.Cond // To signal writeLoop that there is data to flush.
}

type client struct {
	mu    sync.Mutex
	nc    net.Conn
	flags clientFlag
	out   outbound
}

func newClient(nc net.Conn) *client {
	c := &client{nc: nc}
	c.out.wdl = 10 * time.Second
	c.out.sg = sync.NewCond(&c.mu)
	go c.writeLoop()
	return c
}

// Enqueue is called by the goroutines of other clients.
func (c *client) Enqueue(data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flags.isSet(connMarkedClosed) {
		return
	}
	c.out.pb += int64(len(data))
	for len(data) > 0 {
		if n := len(c.out.nb); n == 0 || len(c.out.nb[n-1]) == cap(c.out.nb[n-1]) {
			c.out.nb = append(c.out.nb, nbPoolGet())
		}
		last := &c.out.nb[len(c.out.nb)-1]
		n := min(len(data), cap(*last)-len(*last))
		*last = append(*last, data[:n]...)
		data = data[n:]
	}
	c.out.sg.Signal()
}

// FlushNow flushes on the goroutine of the caller.
func (c *client) FlushNow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.flushOutbound()
}

func (c *client) writeLoop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for !c.flags.isSet(connMarkedClosed) && (c.out.pb == 0 || c.flags.isSet(flushOutbound)) {
			c.out.sg.Wait()
		}
		if c.flags.isSet(connMarkedClosed) {
			return
		}
		c.flushOutbound()
	}
}

// flushOutbound will flush outbound buffer to a client.
// Will return true if data was attempted to be written.
// Lock must be held
func (c *client) flushOutbound() bool {
	if c.flags.isSet(flushOutbound) {
		// Another goroutine flushes, it wakes the writeLoop when it is done.
		return false
	}
	if c.nc == nil || len(c.out.nb) == 0 && len(c.out.wnb) == 0 {
		return true
	}
	c.flags.set(flushOutbound)
	defer func() {
		c.flags.clear(flushOutbound)
		c.out.sg.Signal()
	}()

	// Capture a copy of the buffers; nobody else uses wnb while the flag is set.
	c.out.wnb = append(c.out.wnb, c.out.nb...)
	c.out.nb = nil
	nc, wdl := c.nc, c.out.wdl
	wnb := c.out.wnb
	orig := append(net.Buffers(nil), wnb...)

	// Unlock while the data is written.
	c.mu.Unlock()
	_ = nc.SetWriteDeadline(time.Now().Add(wdl))
	n, err := wnb.WriteTo(nc)
	c.mu.Lock()

	if c.flags.isSet(connMarkedClosed) || err != nil {
		for _, b := range orig {
			nbPoolPut(b)
		}
		c.out.wnb = nil
		c.closeLocked()
		return true
	}
	for _, b := range orig {
		nbPoolPut(b)
	}
	c.out.wnb = nil
	c.out.pb -= n
	return true
}

// Lock should be held.
func (c *client) closeLocked() {
	if c.flags.isSet(connMarkedClosed) {
		return
	}
	c.flags.set(connMarkedClosed)
	for i := range c.out.nb {
		nbPoolPut(c.out.nb[i])
	}
	c.out.nb = nil
	// We can't touch c.out.wnb when a flushOutbound is in progress since it
	// is accessed outside the lock there. If in progress, the cleanup will be
	// done in flushOutbound when detecting that connection is closed.
	if !c.flags.isSet(flushOutbound) {
		for i := range c.out.wnb {
			nbPoolPut(c.out.wnb[i])
		}
		c.out.wnb = nil
	}
	c.nc.Close()
	c.nc = nil
	c.out.sg.Broadcast()
}

func (c *client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closeLocked()
}
