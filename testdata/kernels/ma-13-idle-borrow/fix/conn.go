// Package kvclient is a client of the key-value server.
package kvclient

import (
	"bufio"
	"container/list"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Conn is a connection to the server.
type Conn struct {
	elem     *list.Element // guarded by Pool.mu
	lastUsed atomic.Int64

	mu sync.Mutex
	nc net.Conn
	rd *bufio.Reader
}

// Wrap makes a Conn of a network connection.
func Wrap(nc net.Conn) *Conn {
	c := &Conn{nc: nc, rd: bufio.NewReader(nc)}
	c.touch()
	return c
}

func (c *Conn) touch()          { c.lastUsed.Store(time.Now().UnixNano()) }
func (c *Conn) used() time.Time { return time.Unix(0, c.lastUsed.Load()) }

// Do sends one command and returns the reply.
func (c *Conn) Do(cmd string, args ...string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	line := strings.Join(append([]string{cmd}, args...), " ")
	if _, err := fmt.Fprintf(c.nc, "%s\r\n", line); err != nil {
		return "", err
	}
	reply, err := c.rd.ReadString('\n')
	if err != nil {
		return "", err
	}
	if msg, bad := strings.CutPrefix(reply, "-"); bad {
		return "", fmt.Errorf("kvclient: %s: %s", cmd, strings.TrimSpace(msg))
	}
	return strings.TrimSpace(reply), nil
}

// Close closes the connection.
func (c *Conn) Close() error { return c.nc.Close() }

// Transfer moves a value between two keys in one transaction.
func Transfer(p *Pool, from, to, value string) (err error) {
	c, err := p.Borrow()
	if err != nil {
		return err
	}
	defer func() { p.Return(c, err != nil) }()
	for _, step := range [][]string{{"MULTI"}, {"DEL", from}, {"SET", to, value}, {"EXEC"}} {
		if _, err = c.Do(step[0], step[1:]...); err != nil {
			return err
		}
	}
	return nil
}
