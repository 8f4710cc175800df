package viewconsistency

// isContent limits a rule to reads of which the second is not of the channel that tells of the next change: that has no content, and goes with
// the change that is waited for, whatever else is changed without it.
func (c *candidate) isContent() bool { return c.isRead() && c.join().Word != waitWord }
