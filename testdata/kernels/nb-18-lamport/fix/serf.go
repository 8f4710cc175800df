// Package serf keeps the members of a cluster and the order of what happened.
package serf

import (
	"bytes"
	"encoding/gob"
	"log"
	"sync"
	"sync/atomic"
)

// LamportTime is the value of a LamportClock.
type LamportTime uint64

// LamportClock provides a thread safe implementation of a lamport clock
type LamportClock struct {
	counter uint64
}

func (l *LamportClock) Time() LamportTime {
	return LamportTime(atomic.LoadUint64(&l.counter))
}

func (l *LamportClock) Increment() LamportTime {
	return LamportTime(atomic.AddUint64(&l.counter, 1))
}

// Witness is called to update our local clock if necessary after
// witnessing a clock value received from another process
func (l *LamportClock) Witness(v LamportTime) {
WITNESS:
	// If the other value is old, we do not need to do anything
	cur := atomic.LoadUint64(&l.counter)
	other := uint64(v)
	if other < cur {
		return
	}

	// Ensure that our local clock is at least one ahead
	if !atomic.CompareAndSwapUint64(&l.counter, cur, other+1) {
		goto WITNESS
	}
}

type messageType uint8

const (
	messageLeaveType messageType = iota
	messageJoinType
	messageUserEventType
)

type messageJoin struct {
	LTime LamportTime
	Node  string
}

type messageLeave messageJoin

type messageUserEvent struct {
	LTime   LamportTime
	Name    string
	Payload []byte
}

type MemberStatus int

const (
	StatusAlive MemberStatus = iota
	StatusLeaving
	StatusLeft
	StatusFailed
)

type memberState struct {
	Name        string
	Status      MemberStatus
	statusLTime LamportTime // lamport clock time of last received message
}

type userEvents struct {
	LTime  LamportTime
	Events []messageUserEvent
}

type Broadcaster interface {
	QueueBroadcast(msg []byte)
}

// Serf is a single node that is part of a single cluster.
type Serf struct {
	clock      LamportClock
	eventClock LamportClock

	nodeName    string
	broadcasts  Broadcaster
	logger      *log.Logger
	eventCh     chan messageUserEvent
	memberLock  sync.RWMutex
	members     map[string]*memberState
	eventLock   sync.RWMutex
	eventBuffer []*userEvents
}

func Create(nodeName string, b Broadcaster, logger *log.Logger) *Serf {
	s := &Serf{
		nodeName:    nodeName,
		broadcasts:  b,
		logger:      logger,
		eventCh:     make(chan messageUserEvent, 64),
		members:     make(map[string]*memberState),
		eventBuffer: make([]*userEvents, 512),
	}
	// Ensure our lamport clock is at least 1, so that the default
	// join LTime of 0 does not cause issues
	s.clock.Increment()
	s.eventClock.Increment()
	return s
}

// Serve handles the packets of several listeners.
func (s *Serf) Serve(listeners int, packets <-chan []byte) {
	for range listeners {
		go func() {
			for buf := range packets {
				s.NotifyMsg(buf)
			}
		}()
	}
}

func encodeMessage(t messageType, msg any) ([]byte, error) {
	buf := bytes.NewBuffer([]byte{byte(t)})
	err := gob.NewEncoder(buf).Encode(msg)
	return buf.Bytes(), err
}

func decodeMessage(buf []byte, out any) error {
	return gob.NewDecoder(bytes.NewReader(buf)).Decode(out)
}

func (s *Serf) broadcast(t messageType, msg any) error {
	raw, err := encodeMessage(t, msg)
	if err != nil {
		return err
	}
	s.broadcasts.QueueBroadcast(raw)
	return nil
}

// UserEvent is used to broadcast a custom user event.
func (s *Serf) UserEvent(name string, payload []byte) error {
	msg := messageUserEvent{LTime: s.eventClock.Increment(), Name: name, Payload: payload}
	s.handleUserEvent(&msg)
	return s.broadcast(messageUserEventType, &msg)
}

// RemoveFailedNode forcibly removes a failed node from the cluster.
func (s *Serf) RemoveFailedNode(node string) error {
	msg := messageLeave{LTime: s.clock.Increment(), Node: node}
	s.handleNodeLeaveIntent(&msg)
	return s.broadcast(messageLeaveType, &msg)
}

// NotifyMsg is called for every message of the gossip layer.
func (s *Serf) NotifyMsg(buf []byte) {
	if len(buf) == 0 {
		return
	}
	rebroadcast := false
	var err error
	switch t := messageType(buf[0]); t {
	case messageLeaveType:
		var leave messageLeave
		if err = decodeMessage(buf[1:], &leave); err == nil {
			rebroadcast = s.handleNodeLeaveIntent(&leave)
		}
	case messageJoinType:
		var join messageJoin
		if err = decodeMessage(buf[1:], &join); err == nil {
			rebroadcast = s.handleNodeJoinIntent(&join)
		}
	case messageUserEventType:
		var event messageUserEvent
		if err = decodeMessage(buf[1:], &event); err == nil {
			rebroadcast = s.handleUserEvent(&event)
		}
	default:
		s.logger.Printf("[WARN] Received message of unknown type: %d", t)
	}
	if err != nil {
		s.logger.Printf("[ERR] Error decoding message: %s", err)
	}
	if rebroadcast {
		s.broadcasts.QueueBroadcast(append([]byte(nil), buf...))
	}
}

func (s *Serf) handleNodeJoinIntent(joinMsg *messageJoin) bool {
	// Witness a potentially newer time
	s.clock.Witness(joinMsg.LTime)

	s.memberLock.Lock()
	defer s.memberLock.Unlock()
	member, ok := s.members[joinMsg.Node]
	if !ok {
		s.members[joinMsg.Node] = &memberState{Name: joinMsg.Node, statusLTime: joinMsg.LTime}
		return true
	}
	if joinMsg.LTime <= member.statusLTime {
		return false
	}
	member.statusLTime = joinMsg.LTime
	member.Status = StatusAlive
	return true
}

func (s *Serf) handleNodeLeaveIntent(leaveMsg *messageLeave) bool {
	s.clock.Witness(leaveMsg.LTime)

	s.memberLock.Lock()
	defer s.memberLock.Unlock()
	member, ok := s.members[leaveMsg.Node]
	if !ok || leaveMsg.LTime <= member.statusLTime {
		return false
	}
	member.statusLTime = leaveMsg.LTime
	if member.Status == StatusFailed {
		member.Status = StatusLeft
	} else {
		member.Status = StatusLeaving
	}
	return true
}

func (s *Serf) handleUserEvent(eventMsg *messageUserEvent) bool {
	s.eventClock.Witness(eventMsg.LTime)

	s.eventLock.Lock()
	defer s.eventLock.Unlock()
	idx := eventMsg.LTime % LamportTime(len(s.eventBuffer))
	seen := s.eventBuffer[idx]
	if seen != nil && seen.LTime == eventMsg.LTime {
		for _, previous := range seen.Events {
			if previous.Name == eventMsg.Name && bytes.Equal(previous.Payload, eventMsg.Payload) {
				return false
			}
		}
	} else {
		seen = &userEvents{LTime: eventMsg.LTime}
		s.eventBuffer[idx] = seen
	}
	seen.Events = append(seen.Events, *eventMsg)
	select {
	case s.eventCh <- *eventMsg:
	default:
	}
	return true
}
