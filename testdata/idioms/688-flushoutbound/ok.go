// Package client writes the messages of a connection in batches.
package client

import (
	"errors"
	"log"
	"net"
	"runtime"
	"sync"
	"time"
)

type clientFlag uint16

const (
	flushOutbound clientFlag = 1 << iota
	writeLoopStarted
	connMarkedClosed
)

func (cf *clientFlag) set(c clientFlag)       { *cf |= c }
func (cf *clientFlag) clear(c clientFlag)     { *cf &= ^c }
func (cf clientFlag) isSet(c clientFlag) bool { return cf&c != 0 }

const maxPending = 64 << 20

// outbound holds pending data for a socket.
type outbound struct {
	nb  net.Buffers   // Pending byte slices to flush.
	wnb net.Buffers   // Working copy of "nb", reused on each flushOutbound call, partial writes may leave entries here for next iteration.
	pb  int64         // Total pending/queued bytes.
	mp  int64         // Max pending bytes.
	wdl time.Duration // Write deadline.
	sg  *sync.Cond    // To signal writeLoop that there is data to flush.
}

type client struct {
	mu    sync.Mutex
	nc    net.Conn
	flags clientFlag
	out   outbound
	onEnd func(*client)
}

func newClient(nc net.Conn, onEnd func(*client)) *client {
	c := &client{nc: nc, onEnd: onEnd}
	c.out.mp = maxPending
	c.out.wdl = 10 * time.Second
	c.out.sg = sync.NewCond(&c.mu)
	go c.writeLoop()
	return c
}

// Lock should be held.
func (c *client) isClosed() bool { return c.flags.isSet(connMarkedClosed) }

// queueOutbound queues data for a client.
// Lock should be held.
func (c *client) queueOutbound(data []byte) error {
	if c.isClosed() {
		return net.ErrClosed
	}
	c.out.pb += int64(len(data))
	if c.out.pb > c.out.mp {
		c.markConnAsClosed()
		return errors.New("slow consumer")
	}
	c.out.nb = append(c.out.nb, data)
	return nil
}

// deliver is called by the readers of other connections. A reader may flush
// inline if it has time left.
func (c *client) deliver(data []byte, inline bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.queueOutbound(data); err != nil {
		return err
	}
	if inline && c.flushOutbound() {
		return nil
	}
	c.out.sg.Signal()
	return nil
}

func (c *client) writeLoop() {
	c.mu.Lock()
	if c.isClosed() {
		c.mu.Unlock()
		c.onEnd(c)
		return
	}
	c.flags.set(writeLoopStarted)
	c.mu.Unlock()

	// Used to check that we did flush from last wake up.
	waitOk := true
	for {
		c.mu.Lock()
		if waitOk {
			for c.out.pb == 0 && !c.isClosed() {
				c.out.sg.Wait()
			}
		}
		if c.isClosed() {
			c.mu.Unlock()
			c.onEnd(c)
			return
		}
		waitOk = c.flushOutbound()
		c.mu.Unlock()
	}
}

// flushOutbound will flush outbound buffer to a client.
// Will return true if data was attempted to be written.
// Lock must be held
func (c *client) flushOutbound() bool {
	if c.flags.isSet(flushOutbound) {
		// Release the lock to reduce the risk of spinning.
		c.mu.Unlock()
		runtime.Gosched()
		c.mu.Lock()
		return false
	}
	c.flags.set(flushOutbound)
	defer c.flags.clear(flushOutbound)

	// Check for nothing to do.
	if c.nc == nil || c.isClosed() || c.out.pb == 0 {
		return true // true because no need to queue a signal.
	}

	c.out.wnb = append(c.out.wnb, c.out.nb...)
	c.out.nb = nil
	wnb := c.out.wnb
	attempted := int64(0)
	for _, b := range wnb {
		attempted += int64(len(b))
	}

	// In case it goes away after releasing the lock.
	nc, wdl := c.nc, c.out.wdl

	// Do NOT hold lock during actual IO.
	c.mu.Unlock()
	nc.SetWriteDeadline(time.Now().Add(wdl))
	n, err := wnb.WriteTo(nc)
	nc.SetWriteDeadline(time.Time{})

	// Lock again. Caller must unlock.
	c.mu.Lock()
	if c.isClosed() {
		return true
	}
	c.out.wnb = wnb
	c.out.pb -= n
	if err != nil {
		log.Printf("flush of %d bytes: %v", attempted, err)
		c.markConnAsClosed()
		return true
	}
	// Check to see if more has been queued while we were writing.
	if c.out.pb > 0 {
		c.out.sg.Signal()
	}
	return true
}

// Lock should be held.
func (c *client) markConnAsClosed() {
	if c.isClosed() {
		return
	}
	c.flags.set(connMarkedClosed)
	c.out.nb, c.out.wnb, c.out.pb = nil, nil, 0
	c.nc.Close()
	c.out.sg.Broadcast()
}

// closeConnection may be called more than once.
func (c *client) closeConnection() {
	c.mu.Lock()
	c.markConnAsClosed()
	c.mu.Unlock()
}
