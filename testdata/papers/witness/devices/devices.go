// Package devices counts the active devices as TVSchedulerPro does, from the paper
// about context and witness locks (Fig. 11).
//
// Server.CountActive holds the server, asks the list for its length, and then for
// one device after the other. The list is only locked within each call, and
// DeviceList.RemoveLast does not hold the server: if it comes in between, there is
// no device any more at the last index, and Get panics.
package devices

import "sync"

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

func (l *DeviceList) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.devices)
}

func (l *DeviceList) Get(i int) Device {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.devices[i]
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
	n := s.devices.Len()
	for i := 0; i < n; i++ {
		pause()
		if s.devices.Get(i).Active {
			s.active++
		}
	}
	return s.active
}

func Run() {
	l := &DeviceList{devices: []Device{{true}, {false}, {true}}}
	s := &Server{devices: l}
	var wg sync.WaitGroup
	wg.Go(func() {
		defer func() { _ = recover() }() // the index may be out of range
		s.CountActive()
	})
	wg.Go(l.RemoveLast)
	wg.Wait()
}
