package server

import (
	"io"
	"net"
	"runtime"
	"sync"
	"time"
)

type clientFlag uint16

const (
	flushOutbound    clientFlag = 1 << iota // Marks client as having a flushOutbound call in progress.
	connMarkedClosed                        // Marks that markConnAsClosed has already been called.
)

// set the flag (would be equivalent to set the boolean to true)
func (cf *clientFlag) set(c clientFlag) { *cf |= c }

// clear the flag (would be equivalent to set the boolean to false)
func (cf *clientFlag) clear(c clientFlag) { *cf &= ^c }

// isSet returns true if the flag is set, false otherwise
func (cf clientFlag) isSet(c clientFlag) bool { return cf&c != 0 }

// Outbound client.
type outbound struct {
	nb  net.Buffers   // Pending buffers for send, each has fixed capacity as per nbPool below.
	wnb net.Buffers   // Working copy of "nb", reused on each flushOutbound call, partial writes may leave entries here for next iteration.
	pb  int64         // Total pending/queued bytes.
	sg  *sync.Cond    // To signal writeLoop that there is data to flush.
	wdl time.Duration // Snapshot of write deadline.
	lft time.Duration // Last flush time for Write.
}

type client struct {
	mu    sync.Mutex
	nc    net.Conn
	flags clientFlag
	out   outbound
}

func newClient(nc net.Conn, wdl time.Duration) *client {
	c := &client{nc: nc}
	c.out.wdl = wdl
	c.out.sg = sync.NewCond(&c.mu)
	go c.writeLoop()
	return c
}

// queueOutbound queues data for a clientconnection.
// Lock should be held.
func (c *client) queueOutbound(data []byte) {
	// Do not keep going if closed
	if c.flags.isSet(connMarkedClosed) {
		return
	}
	c.out.pb += int64(len(data))
	c.out.nb = append(c.out.nb, append([]byte(nil), data...))
	c.out.sg.Signal()
}

// SendMsg queues the message and tries to flush in place.
func (c *client) SendMsg(data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queueOutbound(data)
	c.flushOutbound()
}

// writeLoop is the main socket write functionality.
// Runs in its own Go routine.
func (c *client) writeLoop() {
	waitOk := true
	for {
		c.mu.Lock()
		for waitOk && c.out.pb == 0 && !c.flags.isSet(connMarkedClosed) {
			c.out.sg.Wait()
		}
		if c.flags.isSet(connMarkedClosed) {
			c.mu.Unlock()
			c.nc.Close()
			return
		}
		// Flush data
		waitOk = c.flushOutbound()
		c.mu.Unlock()
	}
}

// flushOutbound will flush outbound buffer to a client.
// Will return true if data was attempted to be written.
// Lock must be held
func (c *client) flushOutbound() bool {
	if c.flags.isSet(flushOutbound) {
		// If writeLoop and readLoop compete and we are
		// here we should release the lock to reduce the risk of spinning.
		c.mu.Unlock()
		runtime.Gosched()
		c.mu.Lock()
		return false
	}
	c.flags.set(flushOutbound)
	defer c.flags.clear(flushOutbound)

	// Check for nothing to do.
	if c.out.pb == 0 {
		return true // true because no need to queue a signal.
	}

	// While the mutex is unlocked during IO, something else might call
	// queueOutbound and modify "nb". So instead we need a working copy.
	collapsed := c.out.nb
	c.out.nb = nil
	nc := c.nc
	wdl := c.out.wdl

	// Do NOT hold lock during actual IO.
	c.mu.Unlock()

	// This is safe to do outside of the lock since "collapsed" is no longer
	// referenced in c.out.nb (which can be modified in queueOutboud() while
	// the lock is released).
	c.out.wnb = append(c.out.wnb, collapsed...)
	start := time.Now()
	nc.SetWriteDeadline(start.Add(wdl))
	n, err := c.out.wnb.WriteTo(nc)
	nc.SetWriteDeadline(time.Time{})
	lft := time.Since(start)

	// Re-acquire client lock.
	c.mu.Lock()
	if err != nil && err != io.ErrShortWrite {
		c.flags.set(connMarkedClosed)
		c.out.sg.Broadcast()
		return true
	}

	// Update flush time statistics.
	c.out.lft = lft

	// Subtract from pending bytes and messages.
	c.out.pb -= n

	// Check that if there is still data to send and writeLoop is in wait,
	// then we need to signal.
	if c.out.pb > 0 {
		c.out.sg.Signal()
	}
	return true
}

// closeConnection marks the connection as closed; the writeLoop closes it.
func (c *client) closeConnection() {
	c.mu.Lock()
	c.flags.set(connMarkedClosed)
	c.out.sg.Broadcast()
	c.mu.Unlock()
}
