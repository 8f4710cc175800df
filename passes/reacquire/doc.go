// Package reacquire TODO
//
// # Analyzer reacquire
//
// reacquire: report locks taken twice while another lock is held
package reacquire
