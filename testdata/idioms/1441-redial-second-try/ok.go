// Package logging writes logs to a remote address.
package logging

import (
	"errors"
	"net"
	"sync"
	"time"
)

var errClosed = errors.New("logging: writer is closed")

// NetWriter implements a log writer that outputs to a network socket.
type NetWriter struct {
	Network     string
	Address     string
	DialTimeout time.Duration
}

// WriterKey returns a unique key representing this nw.
func (nw NetWriter) WriterKey() string {
	return nw.Network + "/" + nw.Address
}

// OpenWriter opens a new network connection.
func (nw NetWriter) OpenWriter() (*redialerConn, error) {
	reconn := &redialerConn{nw: nw}
	conn, err := reconn.dial()
	if err != nil {
		return nil, err
	}
	reconn.connMu.Lock()
	reconn.conn = conn
	reconn.connMu.Unlock()
	return reconn, nil
}

// redialerConn wraps an underlying Conn so that if any
// writes fail, the connection is redialed and the write
// is retried.
type redialerConn struct {
	nw NetWriter

	connMu sync.RWMutex
	conn   net.Conn
	closed bool
	dials  int
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
		return 0, errClosed
	}

	// if multiple concurrent writes failed on the same broken conn, then
	// one of them might have already re-dialed by now; try writing again
	if n, err = reconn.conn.Write(b); err == nil {
		return
	}

	// we're the lucky first goroutine to re-dial the connection
	conn2, err2 := reconn.dial()
	if err2 != nil {
		return
	}
	if n, err = conn2.Write(b); err == nil {
		reconn.conn.Close()
		reconn.conn = conn2
		reconn.dials++
	} else {
		conn2.Close()
	}
	return
}

func (reconn *redialerConn) dial() (net.Conn, error) {
	return net.DialTimeout(reconn.nw.Network, reconn.nw.Address, reconn.nw.DialTimeout)
}

// Dials returns how often the connection has been replaced.
func (reconn *redialerConn) Dials() int {
	reconn.connMu.RLock()
	defer reconn.connMu.RUnlock()
	return reconn.dials
}

// Close closes the connection for good.
func (reconn *redialerConn) Close() error {
	reconn.connMu.Lock()
	defer reconn.connMu.Unlock()
	if reconn.closed {
		return nil
	}
	reconn.closed = true
	return reconn.conn.Close()
}
