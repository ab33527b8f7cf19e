// Written by `dovetail hook install`, and taken away by `dovetail hook remove`.
// It hands each call of a tool to Dovetail before and after, and never stands in its way.
import { spawn } from "node:child_process"

const PROGRAM = "@PROGRAM@"
const PATIENCE = 10000 // milliseconds

const send = (event) =>
  new Promise((done) => {
    try {
      const child = spawn(PROGRAM, ["hook"], { stdio: ["pipe", "pipe", "ignore"] })
      const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE)
      let said = ""
      child.stdout.on("data", (piece) => (said += piece))
      const finish = () => {
        clearTimeout(timer)
        try {
          done(said ? JSON.parse(said) : null)
        } catch {
          done(null)
        }
      }
      child.on("error", finish)
      child.on("close", finish)
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(event))
    } catch {
      done(null)
    }
  })

