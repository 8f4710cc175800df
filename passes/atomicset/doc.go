// Package atomicset defines an Analyzer that checks whether units of work keep
// the atomic sets of an object consistent.
//
// # Analyzer atomicset
//
// atomicset: report interleavings of units of work that break an atomic set
package atomicset
