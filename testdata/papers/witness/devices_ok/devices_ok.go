// Package devices_ok counts the active devices as TVSchedulerPro does, from the
// paper about context and witness locks (Fig. 11), repaired.
//
// Server.CountActive asks the list once, for a copy of all devices.
package devices_ok

import (
	"slices"
	"sync"
)

// pause is where a test lets the other goroutine run.
var pause = func() {}

type Device struct{ Active bool }

type DeviceList struct {
	mu      sync.Mutex
	devices []Device
}

func (l *DeviceList) RemoveLast() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.devices); n > 0 {
		l.devices = l.devices[:n-1]
	}
}

func (l *DeviceList) All() []Device {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.devices)
}

type Server struct {
	mu      sync.Mutex
	active  int
	devices *DeviceList
}

func (s *Server) CountActive() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = 0
	for _, d := range s.devices.All() {
		pause()
		if d.Active {
			s.active++
		}
	}
	return s.active
}

func Run() {
	l := &DeviceList{devices: []Device{{true}, {false}, {true}}}
	s := &Server{devices: l}
	var wg sync.WaitGroup
	wg.Go(func() { s.CountActive() })
	wg.Go(l.RemoveLast)
	wg.Wait()
}
