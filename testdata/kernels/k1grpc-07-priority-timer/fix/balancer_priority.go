package priority

import (
	"log"
	"time"
)

var defaultPriorityInitTimeout = 10 * time.Second

// syncPriority handles priority after a config update.
//
// Caller must hold b.mu.
func (b *priorityBalancer) syncPriority() {
	// Everything was removed by the update.
	if len(b.priorities) == 0 {
		b.childInUse = ""
		b.priorityInUse = 0
		b.stopPriorityInitTimer()
		b.cc.UpdateState(ChildState{State: TransientFailure})
		return
	}

	for p, name := range b.priorities {
		child := b.children[name]
		if !child.started || child.state.State == Ready || p == len(b.priorities)-1 {
			if b.childInUse != "" && b.childInUse != child.name {
				// Update picker here immediately so parent stops using the old picker.
				b.cc.UpdateState(child.state)
			}
			b.switchToChild(child, p)
			child.sendUpdate()
			break
		}
	}
}

// switchToChild stops all children with lower priorities, and starts this
// child and its init timer.
//
// Caller must hold b.mu.
func (b *priorityBalancer) switchToChild(child *childBalancer, priority int) {
	for i := priority + 1; i < len(b.priorities); i++ {
		b.children[b.priorities[i]].stop()
	}

	b.priorityInUse = priority
	// If this child is already in use, do nothing.
	if b.childInUse == child.name && child.started {
		return
	}
	b.childInUse = child.name

	// Init timer is always for childInUse.
	b.stopPriorityInitTimer()

	if !child.started {
		child.start()
		// Need this local variable to capture timerW in the AfterFunc closure
		// to check the stopped boolean.
		timerW := &timerWrapper{}
		b.priorityInitTimer = timerW
		timerW.timer = time.AfterFunc(defaultPriorityInitTimeout, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			if timerW.stopped {
				return
			}
			b.priorityInitTimer = nil
			// Switch to the next priority if there's any.
			if pNext := b.childToPriority[child.name] + 1; pNext < len(b.priorities) {
				childNext := b.children[b.priorities[pNext]]
				b.switchToChild(childNext, pNext)
				childNext.sendUpdate()
			}
		})
	}
}

// handleChildStateUpdate start/close priorities based on the connectivity
// state.
func (b *priorityBalancer) handleChildStateUpdate(childName string, s ChildState) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	priority, ok := b.childToPriority[childName]
	if !ok || b.childInUse == "" || b.priorityInUse < priority {
		// Lower priorities should all be closed, this is an unexpected update.
		log.Printf("priority: received unexpected picker update of child %v", childName)
		return
	}
	child := b.children[childName]
	child.state = s

	switch s.State {
	case Ready:
		b.stopPriorityInitTimer()
		if b.priorityInUse > priority {
			b.switchToChild(child, priority)
		}
		b.cc.UpdateState(child.state)
	case TransientFailure:
		if b.priorityInUse > priority {
			return
		}
		// priorityInUse sends a failure. Stop its init timer.
		b.stopPriorityInitTimer()
		priorityNext := priority + 1
		if priorityNext == len(b.priorities) {
			b.cc.UpdateState(child.state)
			return
		}
		childNext := b.children[b.priorities[priorityNext]]
		b.switchToChild(childNext, priorityNext)
		b.cc.UpdateState(childNext.state)
		childNext.sendUpdate()
	}
}
