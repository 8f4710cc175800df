// Package hub holds the connections of the devices in the field.
package hub

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
)

var ErrOffline = errors.New("hub: device is offline")

// link is one connection of a device.
type link struct {
	conn net.Conn
	wmu  sync.Mutex
}

func (l *link) send(line string) error {
	l.wmu.Lock()
	defer l.wmu.Unlock()
	_, err := fmt.Fprintf(l.conn, "%s\n", line)
	return err
}

// Hub routes commands to devices. A device has one link; when it dials again
// (after a change of network the old one may linger) the new one takes over.
type Hub struct {
	onReport func(device, line string)

	mu    sync.Mutex
	links map[string]*link
}

func New(onReport func(device, line string)) *Hub {
	return &Hub{onReport: onReport, links: make(map[string]*link)}
}

// Serve accepts devices until the listener is closed.
func (h *Hub) Serve(ln net.Listener) error {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return err
		}
		go h.handle(conn)
	}
}

func (h *Hub) handle(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	hello, err := r.ReadString('\n')
	if err != nil {
		return
	}
	device := strings.TrimSpace(strings.TrimPrefix(hello, "HELLO "))
	if device == "" {
		return
	}

	l := &link{conn: conn}
	h.attach(device, l)
	defer h.detach(device, l)
	h.readReports(device, r)
}

func (h *Hub) readReports(device string, r *bufio.Reader) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			if err != io.EOF {
				h.onReport(device, "link lost: "+err.Error())
			}
			return
		}
		h.onReport(device, strings.TrimSpace(line))
	}
}

func (h *Hub) attach(device string, l *link) {
	h.mu.Lock()
	old := h.links[device]
	h.links[device] = l
	h.mu.Unlock()
	if old != nil {
		old.conn.Close()
	}
}

func (h *Hub) detach(device string, l *link) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.links[device] == l {
		delete(h.links, device)
	}
}

// Command sends one line to the device.
func (h *Hub) Command(device, line string) error {
	h.mu.Lock()
	l := h.links[device]
	h.mu.Unlock()
	if l == nil {
		return ErrOffline
	}
	return l.send(line)
}

// Online reports how many devices are connected.
func (h *Hub) Online() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.links)
}
