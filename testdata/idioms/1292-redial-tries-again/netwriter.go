package logging

import (
	"errors"
	"log"
	"net"
	"sync"
	"time"
)

var errWriterClosed = errors.New("writer closed")

// NetWriter implements a log writer that outputs to a network socket. If
// the socket goes down, it will dump logs to stderr while it attempts to
// reconnect.
type NetWriter struct {
	// The address of the network socket to which to connect.
	Network string
	Address string

	// The timeout to wait while connecting to the socket.
	DialTimeout time.Duration
}

// OpenWriter opens a new network connection.
func (nw NetWriter) OpenWriter() (*redialerConn, error) {
	reconn := &redialerConn{nw: nw}
	conn, err := reconn.dial()
	if err != nil {
		return nil, err
	}
	reconn.conn = conn
	return reconn, nil
}

// redialerConn wraps an underlying Conn so that if any
// writes fail, the connection is redialed and the write
// is retried.
type redialerConn struct {
	connMu     sync.RWMutex
	conn       net.Conn
	closed     bool
	nw         NetWriter
	lastRedial time.Time
}

// Write wraps the underlying Conn.Write method, but if that fails,
// it will re-dial the connection anew and try writing again.
func (reconn *redialerConn) Write(b []byte) (n int, err error) {
	reconn.connMu.RLock()
	conn := reconn.conn
	reconn.connMu.RUnlock()
	if n, err = conn.Write(b); err == nil {
		return
	}

	// problem with the connection - lock it and try to fix it
	reconn.connMu.Lock()
	defer reconn.connMu.Unlock()

	if reconn.closed {
		return n, errWriterClosed
	}

	// if multiple concurrent writes failed on the same broken conn, then
	// one of them might have already re-dialed by now; try writing again
	if n, err = reconn.conn.Write(b); err == nil {
		return
	}

	// there's still a problem, so try to re-attempt dialing the socket
	// if some time has passed in which the issue could have potentially
	// been resolved - we don't want to block at every single log
	// emission (!) - see discussion in #4111
	if time.Since(reconn.lastRedial) > 10*time.Second {
		reconn.lastRedial = time.Now()
		conn2, err2 := reconn.dial()
		if err2 != nil {
			// logger socket still offline; instead of discarding the log, dump it to stderr
			log.Writer().Write(b)
			return
		}
		if n, err = conn2.Write(b); err == nil {
			reconn.conn.Close()
			reconn.conn = conn2
		} else {
			conn2.Close()
		}
	} else {
		// last redial attempt was too recent; just dump to stderr for now
		log.Writer().Write(b)
	}

	return
}

// Close closes the present connection.
func (reconn *redialerConn) Close() error {
	reconn.connMu.Lock()
	defer reconn.connMu.Unlock()
	if reconn.closed {
		return nil
	}
	reconn.closed = true
	return reconn.conn.Close()
}

func (reconn *redialerConn) dial() (net.Conn, error) {
	return net.DialTimeout(reconn.nw.Network, reconn.nw.Address, reconn.nw.DialTimeout)
}
